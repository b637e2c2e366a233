//! Words that route a message to a domain, by the names that the presets give the domains. What is told of
//! sensitive domains by `text` comes besides. A language is a line in each.

/// A domain, and words that speak of it: each is compared as search compares words.
pub(super) const DOMAIN_WORDS: &[(&str, &str)] = &[
    (
        "schedule",
        "appointment calendar meeting schedule deadline reminder tomorrow weekday weekend monday tuesday \
         wednesday thursday friday saturday sunday \
         termin kalender besprechung frist morgen wochenende montag dienstag mittwoch donnerstag freitag \
         rendez-vous calendrier agenda réunion échéance demain lundi mardi mercredi jeudi vendredi \
         cita calendario reunión plazo mañana lunes martes miércoles jueves viernes",
    ),
    (
        "food",
        "food eat eating meal breakfast lunch dinner supper recipe cook cooking restaurant vegetarian vegan \
         diet allergy allergic snack dish cuisine ingredient \
         essen mahlzeit frühstück mittagessen abendessen rezept kochen restaurant vegetarisch diät allergie \
         manger repas déjeuner dîner recette cuisiner végétarien régime allergie \
         comida comer desayuno almuerzo cena receta cocinar restaurante vegetariano dieta alergia",
    ),
    (
        "shopping",
        "buy buying purchase shop shopping store order gift present price discount size delivery \
         kaufen einkaufen bestellen geschenk preis rabatt größe lieferung \
         acheter achat commander cadeau prix réduction taille livraison \
         comprar compra pedir regalo precio descuento talla entrega",
    ),
    (
        "communication",
        "email mail message reply letter call phone text tone formal wording draft newsletter \
         nachricht antwort brief anruf telefon formell entwurf \
         courriel message réponse lettre appel téléphone ton brouillon \
         correo mensaje respuesta carta llamada teléfono tono borrador",
    ),
    (
        "travel",
        "travel trip flight fly hotel train airport vacation holiday journey itinerary visa passport luggage seat \
         reise reisen flug fliegen hotel zug bahn flughafen urlaub visum reisepass gepäck \
         voyage voyager vol avion hôtel train aéroport vacances visa passeport bagage \
         viaje viajar vuelo volar hotel tren aeropuerto vacaciones visado pasaporte equipaje",
    ),
    (
        "work",
        "work job office boss manager colleague team project career employer client salary meeting code \
         arbeit beruf büro chef kollege kollegin projekt karriere arbeitgeber kunde gehalt \
         travail emploi bureau patron collègue équipe projet carrière employeur client salaire \
         trabajo empleo oficina jefe colega equipo proyecto carrera empleador cliente sueldo",
    ),
    (
        "personal",
        "home house hobby birthday pet dog cat garden flat apartment \
         zuhause haus hobby geburtstag haustier hund katze garten wohnung \
         maison loisir anniversaire animal chien chat jardin appartement \
         casa afición cumpleaños mascota perro gato jardín piso apartamento",
    ),
    (
        "relationships",
        "wife husband partner girlfriend boyfriend friend family mother father parents son daughter children sister brother \
         wedding marriage \
         frau mann partner freundin freund familie mutter vater eltern sohn tochter kinder schwester bruder hochzeit \
         femme mari partenaire copine copain ami amie famille mère père parents fils fille enfants sœur frère mariage \
         esposa marido pareja novia novio amigo amiga familia madre padre padres hijo hija hijos hermana hermano boda",
    ),
    (
        "health",
        "health doctor dentist medicine medication sick illness symptom pain hospital therapy sleep \
         gesundheit arzt ärztin zahnarzt medikament krank krankheit symptom schmerz krankenhaus therapie schlaf \
         santé médecin dentiste médicament malade maladie symptôme douleur hôpital thérapie sommeil \
         salud médico dentista medicina medicamento enfermo enfermedad síntoma dolor hospital terapia sueño",
    ),
    (
        "finance",
        "money bank invest investment fund stock shares bond tax taxes budget loan mortgage savings pension insurance \
         geld bank investieren fonds aktie aktien steuer steuern budget kredit hypothek ersparnisse rente versicherung \
         argent banque investir fonds action actions impôt impôts budget prêt hypothèque épargne retraite assurance \
         dinero banco invertir fondo fondos acción acciones impuesto impuestos presupuesto préstamo hipoteca ahorros pensión seguro",
    ),
];
